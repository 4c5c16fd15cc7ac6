"""SQL as text: templates rendered for a dialect, and the script of all macros."""
