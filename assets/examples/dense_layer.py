"""A dense layer of our own whose `call` is compiled by XLA, inside a small Keras model."""

import keras
import tensorflow as tf

BATCH = 512
FEATURES = 1024
CLASSES = 10


class CompiledDense(keras.layers.Layer):
    """relu(x @ kernel + bias). The weights are made in `build`, outside the compiled `call`."""

    def __init__(self, units, **options):
        super().__init__(**options)
        self.units = units

    def build(self, input_shape):
        self.kernel = self.add_weight(shape=(input_shape[-1], self.units), initializer="glorot_uniform", name="kernel")
        self.bias = self.add_weight(shape=(self.units,), initializer="zeros", name="bias")

    @tf.function(jit_compile=True)
    def call(self, inputs):
        return tf.nn.relu(tf.matmul(inputs, self.kernel) + self.bias)


def build_model():
    """Two of these layers and a linear one."""
    layers = [CompiledDense(512, name="first"), CompiledDense(256, name="second"), keras.layers.Dense(CLASSES)]
    return keras.Sequential([keras.Input((FEATURES,)), *layers])


keras.utils.set_random_seed(0)
model = build_model()


@tf.function(jit_compile=True)
def predict(features):
    """The class of each example."""
    return tf.argmax(model(features), axis=-1)


def xlaviz_inputs():
    """A batch of random examples."""
    return (tf.random.normal((BATCH, FEATURES), seed=1),)


if __name__ == "__main__":
    print("classes:", predict(*xlaviz_inputs()).numpy())
