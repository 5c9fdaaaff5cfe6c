/** Under Trusted Types the address of a worker must come from a policy: this one makes a single address. */
interface Policies {
  createPolicy(
    name: string,
    rules: { createScriptURL(input: string): string },
  ): { createScriptURL(input: string): unknown };
}

const WORKER = '/sw.js';

/** An installed app opens without the daemon too. Where the browser will not, the page works all the same. */
export async function keepShell(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const { trustedTypes }: { trustedTypes?: Policies } = window as { trustedTypes?: Policies };
  const policy = trustedTypes?.createPolicy('agent-mux', { createScriptURL: () => WORKER });
  // The types of the DOM know no trusted address yet.
  const address = (policy?.createScriptURL(WORKER) ?? WORKER) as string;
  await navigator.serviceWorker.register(address).catch(() => undefined);
}
