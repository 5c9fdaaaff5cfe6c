interface LockEntry {
  version?: string;
  resolved?: string;
  integrity?: string;
  link?: boolean;
  optionalDependencies?: Record<string, string>;
}

/** What is wrong with a lock file: what `npm ci` would refuse, fetch from a fixed address, or install without a check. */
export function findLockFaults(text: string, withoutIntegrity: readonly string[]): string[] {
  const { packages }: { packages: Record<string, LockEntry> } = JSON.parse(text);
  const fetched = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
  const optional = Object.values(packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
  const missing = optional.filter((name) => !packages[`node_modules/${name}`]);
  const unchecked = fetched.flatMap(([path, { integrity, version }]) =>
    integrity === undefined ? [`${nameOf(path)}@${version}`] : [],
  );
  return [
    ...fetched.flatMap(([path, { resolved }]) => (resolved === undefined ? [] : [`${path} has a resolved address`])),
    ...fetched.flatMap(([path, { integrity = 'sha512-' }]) =>
      /^sha512-/.test(integrity) ? [] : [`${path} has a weak integrity: ${integrity.slice(0, 20)}`],
    ),
    ...missing.map((name) => `${name} is missing, so that npm ci would refuse it: run node scripts/complete-lock.mjs`),
    ...unchecked
      .filter((each) => !withoutIntegrity.includes(each))
      .map((each) => `${each} has no integrity: run node scripts/complete-lock.mjs --integrity`),
    ...withoutIntegrity
      .filter((each) => !unchecked.includes(each))
      .map((each) => `${each} need not be listed in scripts/lock-without-integrity.json any more`),
  ];
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}
