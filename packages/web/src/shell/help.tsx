import { Dialog } from '../components/dialog.tsx';
import { listKeys } from './keys.ts';

export function Help({ onClose }: { onClose(): void }) {
  const groups = Map.groupBy(listKeys(), ({ group = 'This page' }) => group);
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div className="help">
        {[...groups].map(([group, bindings]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {bindings.map(({ keys, label }) => (
                <div key={keys}>
                  <dt>{label}</dt>
                  <dd>
                    {keys.split(' ').map((key) => (
                      <kbd key={key}>{nameOf(key)}</kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function nameOf(key: string): string {
  if (key.startsWith('mod+'))
    return `${/Mac|iP/.test(navigator.platform) ? '⌘' : 'Ctrl'} ${key.slice(4).toUpperCase()}`;
  return key.length === 1 ? key.toUpperCase() : key;
}
