/** Under Trusted Types a worker URL must come from a policy; this policy creates only this one URL. */
interface Policies {
  createPolicy(
    name: string,
    rules: { createScriptURL(input: string): string },
  ): { createScriptURL(input: string): unknown };
}

const WORKER = '/sw.js';

/** Lets an installed app open while the daemon is down. The page also works without a service worker. */
export async function registerServiceWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const { trustedTypes }: { trustedTypes?: Policies } = window as { trustedTypes?: Policies };
  const policy = trustedTypes?.createPolicy('agent-mux', { createScriptURL: () => WORKER });
  // The DOM types do not know TrustedScriptURL yet.
  const url = (policy?.createScriptURL(WORKER) ?? WORKER) as string;
  await navigator.serviceWorker.register(url).catch(() => undefined);
}
