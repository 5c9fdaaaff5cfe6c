import type { Who } from '../service.ts';
import type { Store } from '../store/store.ts';

/** Notes what the API itself has done; what the service does, it notes by itself. */
export type Audit = (who: Who, action: string, detail?: Record<string, unknown>) => Promise<void>;

export function createAudit(store: Store, clock: () => number): Audit {
  return (who, action, detail = {}) => store.appendAudit({ time: clock(), who, action, sessionId: null, detail });
}
