"""Write the script of all macros, and register it with a connection."""
