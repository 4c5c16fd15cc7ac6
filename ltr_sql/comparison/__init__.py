"""Turn values into decisions: tests, leaderboards, wins, gates."""
