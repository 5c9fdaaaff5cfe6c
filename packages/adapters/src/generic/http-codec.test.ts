import { describe, expect, it } from 'vitest';
import { statusError, transportError } from './http-errors.ts';
import { readResponseText } from './http-text.ts';

describe('text of a service', () => {
  it.each([
    ['{"text":"a"}', 'a'],
    ['{"content":"a"}', 'a'],
    ['{"delta":"a"}', 'a'],
    ['{"delta":{"text":"a"}}', 'a'],
    ['{"output":"a"}', 'a'],
    ['{"message":"a"}', 'a'],
    ['{"message":{"role":"assistant","content":"a"}}', 'a'],
    ['{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}', 'ab'],
    ['{"choices":[{"delta":{"content":"a"}}]}', 'a'],
    ['{"choices":[{"message":{"content":"a"}}]}', 'a'],
    ['{"choices":[{"delta":{},"finish_reason":"stop"}]}', ''],
    ['"a"', 'a'],
    ['[DONE]', ''],
  ])('is found in %s', (data, text) => {
    expect(readResponseText(data, '\n')).toEqual({ kind: 'text', text });
  });

  it.each(['plain words', '{ not json', '{"answer":42}', '17'])(
    'is the line itself if the format is unknown: %s',
    (data) => {
      expect(readResponseText(data, '\n')).toEqual({ kind: 'text', text: `${data}\n` });
    },
  );

  it.each(['{"error":"full"}', '{"error":{"message":"full","type":"x"}}'])('can be an error: %s', (data) => {
    expect(readResponseText(data, '')).toEqual({ kind: 'error', message: 'full' });
  });
});

describe('unsuccessful answers', () => {
  const now = Date.parse('2025-01-01T00:00:00Z');

  it('become typed errors by their status, with the reason from the body', () => {
    expect(statusError(401, {}, { error: { message: 'bad key' } }, now)).toMatchObject({
      type: 'auth_error',
      message: 'the server answered 401: bad key',
    });
    expect(statusError(403, {}, 'no', now)).toMatchObject({ type: 'auth_error' });
    expect(statusError(503, {}, '', now)).toMatchObject({ type: 'error', code: 'SERVER_ERROR' });
    expect(statusError(404, {}, '{"message":"gone"}', now)).toMatchObject({
      type: 'error',
      code: 'AGENT_ERROR',
      message: 'the server answered 404: gone',
    });
  });

  it.each([
    ['30', 30_000],
    ['Wed, 01 Jan 2025 00:01:00 GMT', 60_000],
    ['soon', undefined],
  ])('have the reset time of a limit: %s', (value, ms) => {
    const event = statusError(429, { 'Retry-After': value }, null, now);
    const resetsAt = ms === undefined ? undefined : now + ms;
    expect(event).toMatchObject({ type: 'rate_limit_error', retrying: false });
    expect(event).toHaveProperty('retryAfterMs', ms);
    expect(event).toHaveProperty('resetsAt', resetsAt);
  });

  it('are distinguished from missing and late answers', () => {
    expect(transportError('fetch failed: connect ECONNREFUSED', 60_000)).toMatchObject({ code: 'NETWORK_ERROR' });
    expect(transportError('The operation was aborted due to timeout', 60_000)).toMatchObject({
      code: 'TIMEOUT',
      message: 'the server did not answer within 1 min',
    });
  });
});
