"""Pictures of any part of a finished run's matrix, made when they are asked for."""
