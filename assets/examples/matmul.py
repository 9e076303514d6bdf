"""A matrix product, a ReLU and a sum: small enough to read every instruction of what XLA makes of it."""

import tensorflow as tf

SIZE = 1000


@tf.function(jit_compile=True)
def matmul_relu_sum(a, b):
    """The sum of the positive entries of a times b."""
    product = tf.matmul(a, b)
    positive = tf.nn.relu(product)
    return tf.reduce_sum(positive)


def xlaviz_inputs():
    """Two random matrices."""
    return tf.random.normal((SIZE, SIZE), seed=1), tf.random.normal((SIZE, SIZE), seed=2)


if __name__ == "__main__":
    print("sum:", float(matmul_relu_sum(*xlaviz_inputs())))
