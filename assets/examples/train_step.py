"""One training step of a two-layer classifier with Adam, compiled as a whole: forward, backward and update."""

import keras
import tensorflow as tf

BATCH = 256
FEATURES = 784
CLASSES = 10

keras.utils.set_random_seed(0)
model = keras.Sequential(
    [
        keras.Input((FEATURES,)),
        keras.layers.Dense(512, activation="relu", name="hidden"),
        keras.layers.Dense(CLASSES, name="logits"),
    ]
)
loss_function = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
optimizer = keras.optimizers.Adam(learning_rate=1e-3)
# Adam's own variables are made here: a compiled function should only update variables.
optimizer.build(model.trainable_variables)


@tf.function(jit_compile=True)
def train_step(features, labels):
    """Update the model once; the loss before the update."""
    with tf.GradientTape() as tape:
        logits = model(features, training=True)
        loss = loss_function(labels, logits)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


def xlaviz_inputs():
    """A batch of random images and labels."""
    features = tf.random.normal((BATCH, FEATURES), seed=1)
    labels = tf.random.uniform((BATCH,), maxval=CLASSES, dtype=tf.int32, seed=2)
    return features, labels


if __name__ == "__main__":
    batch = xlaviz_inputs()
    for step in range(10):
        print(f"step {step}: loss {float(train_step(*batch)):.4f}")
