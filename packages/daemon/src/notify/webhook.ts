import { createHmac } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { expandPath, isRecord, messageOf, readRegularFile } from '@agent-mux/core';
import type { Target } from './notify-settings.ts';
import { type OutgoingNotification, SendError } from './send-error.ts';

/** For one whole attempt. */
const WEBHOOK_TIMEOUT_MS = 10_000;
const SECRET_BYTES = 4_096;

type Webhook = Extract<Target, { type: 'webhook' }>;

/**
 * Makes one attempt. The signature is an HMAC-SHA256 over the time, a dot and the body: it authenticates the sender,
 * and the time lets the receiver reject replays.
 */
export async function postWebhook(
  target: Webhook,
  notification: OutgoingNotification,
  { env, now, signal }: { env: NodeJS.ProcessEnv; now: number; signal: AbortSignal },
): Promise<void> {
  const secret = await readSecret(target, env);
  const body = JSON.stringify({ type: 'notification', ...notification });
  const time = Math.floor(now / 1000);
  const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
  const limit = AbortSignal.timeout(WEBHOOK_TIMEOUT_MS);
  const response = await fetch(target.url, {
    method: 'POST',
    body,
    // A redirect could send the notification to a host that is not in the configuration.
    redirect: 'manual',
    signal: AbortSignal.any([signal, limit]),
    headers: {
      'content-type': 'application/json',
      'user-agent': 'agent-mux',
      'agent-mux-id': notification.id,
      'agent-mux-signature': `t=${time},v1=${signature}`,
    },
  }).catch((error: unknown) => {
    const reason = limit.aborted ? `did not answer within ${WEBHOOK_TIMEOUT_MS / 1000} s` : reasonOf(error);
    throw new SendError('UNREACHABLE', `${hostOf(target)} ${reason}`, true);
  });
  await response.body?.cancel().catch(() => {});
  const { status } = response;
  if (response.ok) return;
  if (status >= 300 && status < 400)
    throw new SendError('REDIRECTED', `${hostOf(target)} answered ${status}: redirects are not followed`);
  const isRetryable = status >= 500 || status === 408 || status === 425 || status === 429;
  throw new SendError('REFUSED', `${hostOf(target)} answered ${status}`, isRetryable);
}

/** Only the host, since the URL may contain a secret. */
export function hostOf({ url }: Pick<Webhook, 'url'>): string {
  return URL.parse(url)?.host ?? '';
}

function reasonOf(error: unknown): string {
  const cause = isRecord(error) && error.cause !== undefined ? error.cause : error;
  const code = isRecord(cause) && typeof cause.code === 'string' ? cause.code : '';
  return `could not be reached${code === '' ? '' : `: ${code}`}`;
}

/** Read for every attempt and never stored. */
async function readSecret({ secretFile, secretEnv }: Webhook, env: NodeJS.ProcessEnv): Promise<string> {
  if (secretEnv !== undefined) {
    const value = env[secretEnv];
    if (value) return value;
    throw new SendError('NO_SECRET', `environment variable ${secretEnv} for the signing secret is not set`);
  }
  const path = expandPath(secretFile ?? '', env, '/');
  let content: string;
  try {
    if (process.platform !== 'win32' && ((await stat(path)).mode & 0o077) !== 0)
      throw new Error('it is readable by others; run "chmod 600"');
    content = (await readRegularFile(path, { limit: SECRET_BYTES })).toString('utf8').trim();
  } catch (error) {
    throw new SendError('NO_SECRET', `cannot use the secret in ${path}: ${messageOf(error)}`);
  }
  if (content === '') throw new SendError('NO_SECRET', `the secret file ${path} is empty`);
  return content;
}
