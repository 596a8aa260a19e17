// The default ids are hashes that depend on the folder of the build; these do not, so that builds can be compared.
module.exports = { optimization: { moduleIds: 'natural', chunkIds: 'natural' } };
