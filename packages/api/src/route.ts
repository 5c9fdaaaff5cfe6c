import type { z } from 'zod';

/** One thing that can be asked over HTTP, as data: the server validates with it, the OpenAPI document is made of it. */
export interface Route {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** With `{names}` of its params. */
  path: string;
  summary: string;
  tag: string;
  /** Default: only with the token or a signed-in browser. */
  open?: true;
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** JSON; `raw`: the bytes of a file. */
  body?: z.ZodType | 'raw';
  /** Nothing may be sent in place of an empty object. */
  bodyOptional?: true;
  /** Of the body, in bytes. Default: DEFAULT_BODY_LIMIT. */
  bodyLimit?: number;
  /** What answers it when all went well. Everything else is a problem (ProblemSchema). */
  reply: Reply;
  /** Under `Accept: text/event-stream`: what each `data:` is. */
  stream?: z.ZodType;
}

export interface Reply {
  status: 200 | 201 | 202 | 204 | 303;
  description: string;
  /** Of JSON. */
  schema?: z.ZodType;
  /** Of what is not JSON; `*` where it differs. */
  mimeType?: string;
}

/** More is refused with TOO_LARGE before it is read. */
export const DEFAULT_BODY_LIMIT = 1_000_000;
/** Of what carries a prompt. */
export const PROMPT_BODY_LIMIT = 25_000_000;
/** Of a file that is handed in. */
export const FILE_BODY_LIMIT = 100_000_000;
