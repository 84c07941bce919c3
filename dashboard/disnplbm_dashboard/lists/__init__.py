"""Lists of runs, datasets and events: filters, orders and pages."""
