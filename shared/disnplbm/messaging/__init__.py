"""What master and worker must agree on: settings, queues, messages and how they are encoded."""
