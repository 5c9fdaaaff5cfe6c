import { expect, it } from 'vitest';
import { QUOTA_QUERY } from './usage.ts';

it.each([
  [undefined, 'https://api.anthropic.com/api/oauth/usage'],
  ['http://127.0.0.1:1/', 'http://127.0.0.1:1/api/oauth/usage'],
  ['http://127.0.0.1:1/gateway', 'http://127.0.0.1:1/gateway/api/oauth/usage'],
  ['http://127.0.0.1:1/gateway/', 'http://127.0.0.1:1/gateway/api/oauth/usage'],
])('queries the usage of the vendor, or of a gateway with its own path: %s', (base, url) => {
  expect(QUOTA_QUERY.request('a token', base).url).toBe(url);
});
