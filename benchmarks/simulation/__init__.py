"""The cluster as a discrete-event simulation: what an iteration takes on 1 to 1,000 workers, and what holds it up."""
