import '../../styles/tables.css';
import '../../styles/settings.css';
import { Segments } from '../../components/segments.tsx';
import { setPreferences, usePreferences } from '../../shell/preferences.ts';
import { BrowserNotificationsSection } from './browser-notifications-section.tsx';
import { BrowsersSection } from './browsers-section.tsx';
import { BudgetsSection } from './budgets-section.tsx';
import { LimitsSection } from './limits-section.tsx';
import { NotificationsSection } from './notifications-section.tsx';
import { PolicySection } from './policy-section.tsx';
import { RetentionSection } from './retention-section.tsx';
import { SchedulesSection } from './schedules-section.tsx';

/** Appearance, policy, schedules, notifications, limits, budgets, retention and signed-in browsers. */
export function SettingsPage() {
  const { theme, density } = usePreferences();
  return (
    <div className="page settings-page">
      <header className="page-head">
        <h1>Settings</h1>
      </header>
      <div className="parts">
        <section aria-labelledby="looks">
          <h2 id="looks">Appearance</h2>
          <p className="muted">Stored in this browser.</p>
          <div className="choice">
            <span>Theme</span>
            <Segments
              label="Theme"
              value={theme}
              choices={[
                ['system', 'System'],
                ['light', 'Light'],
                ['dark', 'Dark'],
              ]}
              onChange={(value) => setPreferences({ theme: value })}
            />
          </div>
          <div className="choice">
            <span>Density</span>
            <Segments
              label="Density"
              value={density}
              choices={[
                ['dense', 'Compact'],
                ['roomy', 'Comfortable'],
              ]}
              onChange={(value) => setPreferences({ density: value })}
            />
          </div>
        </section>
        <PolicySection />
        <SchedulesSection />
        <BrowserNotificationsSection />
        <NotificationsSection />
        <LimitsSection />
        <BudgetsSection />
        <RetentionSection />
        <BrowsersSection />
      </div>
    </div>
  );
}
