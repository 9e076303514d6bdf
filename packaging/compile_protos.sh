#!/bin/sh
# Compile our .proto files. With protoc of grpcio-tools 1.62, whose output every protobuf since 4.25 loads, so that
# xlaviz can share an environment with any TensorFlow from 2.18 on.
set -eu
cd "$(dirname "$0")/.."
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
python3 -m venv "$tools"
"$tools/bin/pip" install -q 'grpcio-tools==1.62.3' 'setuptools<81'
"$tools/bin/python" -m grpc_tools.protoc -I. --python_out=. --pyi_out=. xlaviz/hlo/hlo.proto xlaviz/profile/xplane.proto
