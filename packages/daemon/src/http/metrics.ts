import { ACTIVITIES } from '@agent-mux/api/schemas';
import type { Store } from '../store/store.ts';

export interface HttpCounters {
  count(operation: string, status: number): void;
  rows(): { operation: string; status: number; count: number }[];
}

export function createHttpCounts(): HttpCounters {
  const counts = new Map<string, { operation: string; status: number; count: number }>();
  return {
    count(operation, status) {
      const key = `${operation} ${status}`;
      const row = counts.get(key) ?? { operation, status, count: 0 };
      row.count += 1;
      counts.set(key, row);
    },
    rows: () => [...counts.values()],
  };
}

type Sample = readonly [labels: Readonly<Record<string, string | number>>, value: number];

/** Metrics in the Prometheus text format. */
export async function writeMetrics(
  store: Store,
  { http, streams, startedAt, now }: { http: HttpCounters; streams: number; startedAt: number; now: number },
): Promise<string> {
  const [stats, unfinished] = await Promise.all([store.stats(), store.listUnfinished()]);
  const byActivity = new Map<string, number>(ACTIVITIES.map((activity) => [activity, 0]));
  for (const { activity } of unfinished) byActivity.set(activity, (byActivity.get(activity) ?? 0) + 1);
  const ended = Math.max(0, stats.sessions - unfinished.length);
  byActivity.set('exited', (byActivity.get('exited') ?? 0) + ended);
  const open = unfinished.reduce((sum, { openRequests }) => sum + openRequests, 0);
  const { rss, heapUsed } = process.memoryUsage();
  const blocks = [
    metric('agent_mux_sessions', 'gauge', 'Sessions by activity.', [
      ...[...byActivity].map(([activity, count]): Sample => [{ activity }, count]),
    ]),
    metric('agent_mux_events', 'gauge', 'Events in the store.', [[{}, stats.events]]),
    metric('agent_mux_requests_open', 'gauge', 'Open approvals and questions.', [[{}, open]]),
    metric('agent_mux_store_bytes', 'gauge', 'Size of the store on disk.', [[{}, stats.bytes]]),
    metric('agent_mux_http_streams', 'gauge', 'Open event streams.', [[{}, streams]]),
    metric(
      'agent_mux_http_requests_total',
      'counter',
      'Requests by route and status.',
      http.rows().map(({ operation, status, count }): Sample => [{ route: operation, status }, count]),
    ),
    metric('process_resident_memory_bytes', 'gauge', 'Resident memory of the daemon.', [[{}, rss]]),
    metric('agent_mux_heap_bytes', 'gauge', 'Heap in use.', [[{}, heapUsed]]),
    metric('agent_mux_uptime_seconds', 'gauge', 'Time since the daemon started.', [
      [{}, Math.max(0, now - startedAt) / 1000],
    ]),
  ];
  return blocks.join('');
}

function metric(name: string, type: 'gauge' | 'counter', help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) => {
    const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escapeLabel(`${text}`)}"`);
    return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
