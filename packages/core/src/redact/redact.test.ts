import { describe, expect, it } from 'vitest';
import { isSecretName, REDACTED, redactSecrets } from './redact.ts';

// Concatenated here, so that secret scanners ignore this file.
const join = (...parts: string[]) => parts.join('');
const SECRETS = {
  'an API key': join('sk-', 'ant-api03-AbCdEf0123456789'),
  'a GitHub token': join('ghp_', 'AbCdEf0123456789AbCdEf0123456789'),
  'a fine-grained GitHub token': join('github_pat_', '11ABCDEFG0123456789_abcdef'),
  'a Google key': join('AIza', 'SyA0123456789abcdefghijklmnopqrstuv'),
  'a Slack token': join('xoxb-', '123456789012-abcdefghij'),
  'an AWS key id': join('AKIA', 'ABCDEFGHIJKLMNOP'),
  'a JWT': join('eyJhbGciOiJIUzI1NiJ9', '.eyJzdWIiOiIxMjM0In0', '.c2lnbmF0dXJl'),
};

describe('redactSecrets', () => {
  it.each(Object.entries(SECRETS))('redacts %s anywhere in a text', (_, secret) => {
    expect(redactSecrets(`before ${secret} after`)).toBe(`before ${REDACTED} after`);
    expect(redactSecrets(`{"x":"${secret}"}`)).not.toContain(secret);
    expect(redactSecrets(`(${secret})`)).not.toContain(secret);
  });

  it.each([
    ['OPENAI_API_KEY=hunter2 next', `OPENAI_API_KEY=${REDACTED} next`],
    ['export DB_PASSWORD="two words" next', `export DB_PASSWORD="${REDACTED}" next`],
    ["MY_SECRET='a b'", `MY_SECRET='${REDACTED}'`],
    ['{"access_token": "abc123"}', `{"access_token": "${REDACTED}"}`],
    ['{"apiKey":"abc\\"123","n":1}', `{"apiKey":"${REDACTED}","n":1}`],
    ['password: hunter2', `password: ${REDACTED}`],
    ['x-api-key: abc123', `x-api-key: ${REDACTED}`],
    ['tool --api-key abc123 --fast', `tool --api-key ${REDACTED} --fast`],
    ['Authorization: Bearer abcdefgh12345', `Authorization: Bearer ${REDACTED}`],
    ['sent Bearer abcdefgh12345 there', `sent Bearer ${REDACTED} there`],
    ['https://me:pa55@example.com/x', `https://me:${REDACTED}@example.com/x`],
    ['?token=abc123&page=2', `?token=${REDACTED}&page=2`],
  ])('redacts the value in %s', (text, clean) => {
    expect(redactSecrets(text)).toBe(clean);
  });

  it('redacts a private key, even if cut off', () => {
    const key = join('-----BEGIN RSA ', 'PRIVATE KEY-----\nMIIE\nabc\n');
    expect(redactSecrets(`${key}-----END RSA PRIVATE KEY----- rest`)).toBe(`${REDACTED} rest`);
    expect(redactSecrets(`x ${key}`)).toBe(`x ${REDACTED}`);
  });

  it('redacts the passed values, the longest first', () => {
    expect(redactSecrets('is correct-horse-battery here', ['correct-horse', 'correct-horse-battery'])).toBe(
      `is ${REDACTED} here`,
    );
    expect(redactSecrets('a b c', ['a', ''])).toBe('a b c');
  });

  it.each([
    'input_tokens: 1200, output_tokens=40',
    'MAX_OUTPUT_TOKENS=64000',
    'the task-runner asked a keyboard question',
    '{"type":"text","text":"no secret here"}',
    'Error: ENOENT: no such file or directory, open /data/x.json',
    'sk-ip this',
    'http://127.0.0.1:8080/path?x=1',
    '{"token": null}',
    'SyntaxError: unexpected token: foo',
  ])('does not change %s', (text) => {
    expect(redactSecrets(text)).toBe(text);
  });

  it('is idempotent', () => {
    const once = redactSecrets(`A_KEY=abcdef ${Object.values(SECRETS).join(' ')} token: xyz`);
    expect(redactSecrets(once)).toBe(once);
  });

  it('takes linear time on long and hostile text', () => {
    const started = performance.now();
    for (const piece of ['a', 'token', '=', '"', '-', 'eyJa.', '://a:', '-----BEGIN ', 'KEY="\\', "'", ' ', 'a:']) {
      redactSecrets(piece.repeat(Math.ceil(200_000 / piece.length)));
    }
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

describe('isSecretName', () => {
  it('distinguishes names of secrets from names of counters', () => {
    expect(['OPENAI_API_KEY', 'GH_TOKEN', 'client_secret', 'DbPassword'].every(isSecretName)).toBe(true);
    expect(['MAX_THINKING_TOKENS', 'PATH', 'token_count', 'MODEL'].some(isSecretName)).toBe(false);
  });
});
