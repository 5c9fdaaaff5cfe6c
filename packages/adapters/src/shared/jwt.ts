import { type Json, parseRecord, text } from './json.ts';

/** Claims of a token. Its signature is not verified: it comes from the user's own file, and is only displayed. */
export function jwtClaims(token: unknown): Json {
  const payload = text(token)?.split('.')[1];
  return (payload && parseRecord(Buffer.from(payload, 'base64url').toString('utf8'))) || {};
}
