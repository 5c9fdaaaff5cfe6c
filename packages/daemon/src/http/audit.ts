import type { Actor } from '../service.ts';
import type { Store } from '../store/store.ts';

/** Records actions of the API itself. The service records its own. */
export type Audit = (actor: Actor, action: string, detail?: Record<string, unknown>) => Promise<void>;

export function createAudit(store: Store, clock: () => number): Audit {
  return (actor, action, detail = {}) =>
    store.appendAudit({ timestamp: clock(), actor, action, sessionId: null, detail });
}
