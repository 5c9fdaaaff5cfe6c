export { keepToken, readToken } from './access/token-file.ts';
export { type Api, createApi } from './api.ts';
export { findUpload } from './files/uploads.ts';
export { type ApiLimits, DEFAULT_LIMITS } from './limits.ts';
export type { ApiParts } from './parts.ts';
export { type Served, serve } from './serve.ts';
