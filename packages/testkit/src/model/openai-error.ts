import { rowFor } from './codec.ts';
import type { JsonObject } from './json.ts';
import type { Failure } from './reply.ts';

interface ErrorRow {
  message: string;
  type: string;
  code: string | null;
}

const ERRORS: Readonly<Record<number, ErrorRow>> = {
  400: { message: 'Invalid request.', type: 'invalid_request_error', code: null },
  401: { message: 'Incorrect API key provided.', type: 'invalid_request_error', code: 'invalid_api_key' },
  403: { message: 'You do not have access to this model.', type: 'invalid_request_error', code: 'model_not_found' },
  404: { message: 'Not found.', type: 'invalid_request_error', code: null },
  413: { message: 'The request body is too large.', type: 'invalid_request_error', code: null },
  429: { message: 'Rate limit reached for requests.', type: 'requests', code: 'rate_limit_exceeded' },
  500: {
    message: 'The server had an error while processing your request. Sorry about that!',
    type: 'server_error',
    code: null,
  },
  503: { message: 'The engine is currently overloaded, please try again later', type: 'server_error', code: null },
  529: { message: 'The engine is currently overloaded, please try again later', type: 'server_error', code: null },
};

/** Both OpenAI APIs share the format; the text for a full context differs, and so does the parameter it names. */
export function openaiError(failure: Failure, tooLong: { message: string; param: string }): JsonObject {
  if (failure.status === 400 && failure.message === null) {
    return { error: { ...tooLong, type: 'invalid_request_error', code: 'context_length_exceeded' } };
  }
  const row = rowFor(ERRORS, failure.status, { message: 'Unknown error.', type: 'server_error', code: null });
  const wait = failure.retryAfterSeconds === null ? '' : ` Please try again in ${failure.retryAfterSeconds}s.`;
  const message = failure.message ?? `${row.message}${wait}`;
  return { error: { message, type: row.type, param: null, code: row.code } };
}
