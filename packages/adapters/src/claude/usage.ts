import type { QuotaQuery, RateLimitWindow } from '@agent-mux/core';
import { number, parseRecord, record, word } from '../shared/json.ts';
import { CONFIG_HOME } from './home.ts';

const VENDOR = 'https://api.anthropic.com';
/**
 * Limits of the whole account. Others apply to single models or to extra usage: when those are exhausted, work can
 * continue.
 */
const WHOLE = new Set(['five_hour', 'seven_day']);

/** The data of `/usage` in the CLI: how full the windows of a subscription are. An API key has none. */
export const QUOTA_QUERY: QuotaQuery = {
  credentials: `${CONFIG_HOME}/.credentials.json`,
  tokenOf(text, now) {
    const { accessToken, expiresAt } = record(parseRecord(text)?.claudeAiOauth);
    // Only the CLI renews it.
    return (number(expiresAt) ?? Number.POSITIVE_INFINITY) > now ? word(accessToken) : undefined;
  },
  request: (token, base = VENDOR) => ({
    // Keep the path of a gateway.
    url: new URL('api/oauth/usage', base.endsWith('/') ? base : `${base}/`).href,
    headers: { authorization: `Bearer ${token}`, 'anthropic-beta': 'oauth-2025-04-20', accept: 'application/json' },
  }),
  /** `{ five_hour: { utilization: 42.5, resets_at: "2026-11-16T15:00:00Z" }, seven_day: ..., seven_day_opus: null }` */
  parse(body) {
    const windows = Object.entries(record(body)).flatMap(([window, value]): RateLimitWindow[] => {
      const usedPercent = number(record(value).utilization);
      if (usedPercent === undefined) return [];
      const at = Date.parse(word(record(value).resets_at) ?? '');
      const exhausted = WHOLE.has(window) && usedPercent >= 100;
      return [{ window, usedPercent, resetsAt: Number.isNaN(at) ? null : at, exhausted }];
    });
    return windows.length === 0 ? undefined : windows;
  },
};
