import type { z } from 'zod';

/** One HTTP operation as data: used for validation and for the OpenAPI document. */
export interface Route {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** With `{names}` of its parameters. */
  path: string;
  summary: string;
  tag: string;
  /** Default: requires the token or a signed-in browser. */
  open?: true;
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** JSON schema of the body; `raw`: the bytes of a file. */
  body?: z.ZodType | 'raw';
  /** The body may be omitted instead of sending an empty object. */
  bodyOptional?: true;
  /** Maximum body size in bytes. Default: DEFAULT_BODY_LIMIT. */
  bodyLimit?: number;
  /** Reply on success. Every other reply is a problem (ProblemSchema). */
  reply: Reply;
  /** Schema of each `data:` with `Accept: text/event-stream`. */
  stream?: z.ZodType;
}

export interface Reply {
  status: 200 | 201 | 202 | 204 | 303;
  description: string;
  /** Schema of a JSON reply. */
  schema?: z.ZodType;
  /** Content type of a non-JSON reply; `*` if it varies. */
  mimeType?: string;
}

/** Larger bodies are rejected with PAYLOAD_TOO_LARGE before they are read. */
export const DEFAULT_BODY_LIMIT = 1_000_000;
/** For bodies with a prompt. */
export const PROMPT_BODY_LIMIT = 25_000_000;
/** For uploaded files. */
export const FILE_BODY_LIMIT = 100_000_000;
