import { createHmac } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { expandPath, isRecord, messageOf, readRegularFile } from '@agent-mux/core';
import type { Target } from './notify-settings.ts';
import { SendError, type Telling } from './send-error.ts';

/** For the whole of one attempt. */
const WEBHOOK_TIMEOUT_MS = 10_000;
const SECRET_BYTES = 4_096;

type Webhook = Extract<Target, { type: 'webhook' }>;

/**
 * One attempt. The signature is an HMAC-SHA256 over the time, a dot and the body: a receiver knows that it is ours, and by the time
 * that it is not an old one.
 */
export async function postWebhook(
  target: Webhook,
  telling: Telling,
  { env, now, signal }: { env: NodeJS.ProcessEnv; now: number; signal: AbortSignal },
): Promise<void> {
  const secret = await readSecret(target, env);
  const body = JSON.stringify({ type: 'notification', ...telling });
  const time = Math.floor(now / 1000);
  const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
  const limit = AbortSignal.timeout(WEBHOOK_TIMEOUT_MS);
  const response = await fetch(target.url, {
    method: 'POST',
    body,
    // Whoever is named in the configuration is told, and nobody whom that one names.
    redirect: 'manual',
    signal: AbortSignal.any([signal, limit]),
    headers: {
      'content-type': 'application/json',
      'user-agent': 'agent-mux',
      'agent-mux-id': telling.id,
      'agent-mux-signature': `t=${time},v1=${signature}`,
    },
  }).catch((error: unknown) => {
    const told = limit.aborted ? `did not answer within ${WEBHOOK_TIMEOUT_MS / 1000} s` : reasonOf(error);
    throw new SendError('UNREACHABLE', `${hostOf(target)} ${told}`, true);
  });
  await response.body?.cancel().catch(() => {});
  const { status } = response;
  if (response.ok) return;
  if (status >= 300 && status < 400)
    throw new SendError('REDIRECTED', `${hostOf(target)} answered ${status}: a redirection is not followed`);
  const mayPass = status >= 500 || status === 408 || status === 425 || status === 429;
  throw new SendError('REFUSED', `${hostOf(target)} answered ${status}`, mayPass);
}

/** An address may hold a secret: only its host is told. */
export function hostOf({ url }: Pick<Webhook, 'url'>): string {
  return URL.parse(url)?.host ?? '';
}

function reasonOf(error: unknown): string {
  const cause = isRecord(error) && error.cause !== undefined ? error.cause : error;
  const code = isRecord(cause) && typeof cause.code === 'string' ? cause.code : '';
  return `could not be reached${code === '' ? '' : `: ${code}`}`;
}

/** Read for every attempt, and kept nowhere. */
async function readSecret({ secretFile, secretEnv }: Webhook, env: NodeJS.ProcessEnv): Promise<string> {
  if (secretEnv !== undefined) {
    const value = env[secretEnv];
    if (value) return value;
    throw new SendError('NO_SECRET', `the daemon's environment has no ${secretEnv}, which is to sign it`);
  }
  const path = expandPath(secretFile ?? '', env, '/');
  let content: string;
  try {
    if (process.platform !== 'win32' && ((await stat(path)).mode & 0o077) !== 0)
      throw new Error('others may read it: chmod 600');
    content = (await readRegularFile(path, { limit: SECRET_BYTES })).toString('utf8').trim();
  } catch (error) {
    throw new SendError('NO_SECRET', `the secret in ${path} cannot be used: ${messageOf(error)}`);
  }
  if (content === '') throw new SendError('NO_SECRET', `${path} is empty, and what it holds is to sign it`);
  return content;
}
