/** Calls the function when the signal is aborted, at once if it already is; the returned function unregisters it. */
export function whenAborted(signal: AbortSignal | undefined, over: AbortSignal, work: () => void): void {
  if (signal?.aborted) work();
  else signal?.addEventListener('abort', work, { once: true, signal: over });
}

/** The abort reason as text, if it has one. */
export function reasonOf(signal: AbortSignal | undefined): string | undefined {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason.message : typeof reason === 'string' ? reason : undefined;
}
