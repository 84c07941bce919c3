"""The sampler: pure functions from state, data and key to the next state.

An iteration is :func:`~disnplbm.sampler.chain.shard_step` on every shard, a
:class:`~disnplbm.sampler.join.StreamingJoin` of what they send, and
:func:`~disnplbm.sampler.chain.master_step`. Nothing here knows about files, threads or servers.
"""
