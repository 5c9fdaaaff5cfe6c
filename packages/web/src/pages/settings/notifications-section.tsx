import type { DaemonSettingsView, NotifyRule } from '@agent-mux/api/browser';
import { useQuery as useAnswer } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../data/call.ts';
import { Fault } from '../../parts/fault.tsx';
import { Age, Button } from '../../parts/small.tsx';
import { tellFault } from '../../parts/toasts.tsx';
import { notifyRuleWords, withoutTarget } from './fields.logic.ts';
import { NotifyRuleDialog } from './notify-rule-dialog.tsx';
import { TargetDialog } from './target-dialog.tsx';
import { useOrder } from './use-order.ts';
import { useChangeSettings, useSettings } from './use-settings.ts';

const SHOWN = 20;

type Target = DaemonSettingsView['notify']['targets'][number];
type Asked = { what: 'target'; target: Target | undefined } | { what: 'rule'; at: number } | null;

/** Who is told outside of this page, of what, and what was told. */
export function NotificationsSection() {
  const { data: settings, error } = useSettings();
  const change = useChangeSettings();
  const order = useOrder('notifications');
  const [asked, setAsked] = useState<Asked>(null);
  if (error) return <Fault error={error} />;
  if (!settings) return null;
  const { targets, rules } = settings.notify;
  const names = [...new Set(['desktop', ...targets.map(({ name }) => name)])];
  const close = () => setAsked(null);
  const saveRules = (next: NotifyRule[], done: string) => change({ notify: { rules: next } }, done);
  const say = async (refused: Promise<string | null>) => {
    const why = await refused;
    if (why !== null) tellFault(new Error(why));
  };
  const removeTarget = (name: string) => {
    const left = withoutTarget(rules, name);
    const isNamed = left.length !== rules.length || left.some((rule, at) => rule.to.length !== rules[at]?.to.length);
    const notify = { targets: { [name]: null }, ...(isNamed ? { rules: left } : {}) };
    return say(change({ notify }, `${name} is told nothing any more`));
  };
  const test = (target: string) =>
    order(async () => {
      const { notifications: sent } = await call('testNotification', { body: { target } });
      for (const { outcome, error: why } of sent)
        if (outcome !== 'sent') throw new Error(`${target}: ${why?.message ?? outcome}`);
    }, `${target} was told something harmless`);
  return (
    <section aria-labelledby="notifications">
      <h2 id="notifications">Notifications</h2>
      <p className="muted">Who is told outside of this page. A target is a place; a rule says what it is told.</p>
      {targets.length === 0 ? <p>Nobody is told anything yet.</p> : null}
      <ul className="entries" aria-label="Targets">
        {targets.map((target) => (
          <li key={target.name} className="entry" data-step tabIndex={-1}>
            <div className="entry-main">
              <span className="entry-title">{target.name}</span>
              <span className="muted">
                {target.type === 'desktop' ? 'on the screen of the machine' : `${target.type} ${target.place}`}
              </span>
            </div>
            <span className="entry-actions">
              <Button aria-label={`Test ${target.name}`} onClick={() => void test(target.name)}>
                Test
              </Button>
              {target.type === 'desktop' ? null : (
                <Button
                  aria-label={`Change the target ${target.name}`}
                  onClick={() => setAsked({ what: 'target', target })}
                >
                  Change
                </Button>
              )}
              <Button aria-label={`Remove the target ${target.name}`} onClick={() => void removeTarget(target.name)}>
                Remove
              </Button>
            </span>
          </li>
        ))}
      </ul>
      <ul className="entries" aria-label="Rules of notifications">
        {rules.map((rule, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rules have no other name.
          <li key={at} className="entry" data-step tabIndex={-1}>
            <div className="entry-main">{notifyRuleWords(rule)}</div>
            <span className="entry-actions">
              <Button
                aria-label={`Change the rule for ${rule.to.join(', ')}`}
                onClick={() => setAsked({ what: 'rule', at })}
              >
                Change
              </Button>
              <Button
                aria-label={`Remove the rule for ${rule.to.join(', ')}`}
                onClick={() => void say(saveRules(rules.toSpliced(at, 1), 'The rule is gone'))}
              >
                Remove
              </Button>
            </span>
          </li>
        ))}
      </ul>
      <div className="entry-actions">
        <Button onClick={() => setAsked({ what: 'target', target: undefined })}>
          <Plus />
          Add a target
        </Button>
        <Button onClick={() => setAsked({ what: 'rule', at: -1 })}>
          <Plus />
          Say what is told
        </Button>
      </div>
      <Told />
      {asked?.what === 'target' ? (
        <TargetDialog
          target={asked.target}
          taken={names}
          onSave={(name, patch, isTold) => {
            const more = isTold ? { rules: [...rules, { to: [name] }] } : {};
            return change({ notify: { targets: { [name]: patch }, ...more } }, `${name} is set up`);
          }}
          onClose={close}
        />
      ) : null}
      {asked?.what === 'rule' ? (
        <NotifyRuleDialog
          rule={rules[asked.at]}
          targets={names}
          onSave={(rule) =>
            saveRules(asked.at < 0 ? [...rules, rule] : rules.with(asked.at, rule), 'The rule counts from now on')
          }
          onClose={close}
        />
      ) : null}
    </section>
  );
}

/** What was told, and what came of it. */
function Told() {
  const list = useAnswer({
    queryKey: ['notifications'],
    queryFn: ({ signal }) => call('listNotifications', { query: { limit: SHOWN } }, signal),
    staleTime: 0,
  });
  if (list.error) return <Fault error={list.error} />;
  const { notifications = [], problems = [] } = list.data ?? {};
  return (
    <>
      {problems.map((problem) => (
        <Fault key={problem} error={new Error(problem)} />
      ))}
      {notifications.length === 0 ? null : (
        <details>
          <summary>The last {notifications.length} that were told</summary>
          <ul className="entries">
            {notifications.map(({ id, target, title, outcome, createdAt, error }) => (
              <li key={id} className="entry">
                <div className="entry-main">
                  <span>{title}</span>
                  <span className="muted">
                    {target}: {outcome}
                    {error ? `, ${error.message}` : ''}
                  </span>
                </div>
                <Age time={createdAt} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
