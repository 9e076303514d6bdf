"""xlaviz shows what XLA did to a tf.function: every pass, every fusion, every microsecond."""

__version__ = "0.1.0"
