"""Real servers as child processes of the tests, and a proxy that disturbs their connections."""
