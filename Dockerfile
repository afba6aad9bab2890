# Generated from tools/packages.txt by tools/setup --write; do not edit.
#
#   docker build -t stencilc .
#   docker run --rm -v "$PWD:/work" stencilc run heat.stn --out A=heat.png
#
# The image has no GPU libraries and no C headers. For the device cuda, run it with the NVIDIA container
# runtime. `stencilc lift` of files that include headers needs the packages libclang-common-19-dev and
# libc6-dev (for C++ libstdc++-12-dev) in the second stage.
FROM debian:12 AS build
RUN apt-get update && apt-get install -y --no-install-recommends \
    g++ \
    cmake \
    ninja-build \
    tao-pegtl-dev \
    libfmt-dev \
    libcli11-dev \
    libxxhash-dev \
    zlib1g-dev \
    libstb-dev \
    nlohmann-json3-dev \
    opencl-c-headers \
    libsqlite3-dev \
    llvm-19-dev \
    libclang-19-dev \
    libtbb-dev \
    libzstd1 \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN cmake --preset run -DSTENCIL_LIFT=ON && cmake --build --preset run && strip build/bin/stencilc

FROM debian:12-slim
RUN apt-get update && apt-get install -y --no-install-recommends \
    libstdc++6 \
    libtbb12 \
    libzstd1 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /src/build/bin/stencilc /usr/local/bin/
COPY --from=build /src/build/lib/libstencil_host.so /usr/local/lib/
WORKDIR /work
ENTRYPOINT ["stencilc"]
