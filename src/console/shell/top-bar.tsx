import { Link, useLocation } from 'wouter';
import { useCurrentHub } from '../hub/current-hub.ts';
import { HubPicker } from '../hub/hub-picker.tsx';
import { AccountMenu } from './account-menu.tsx';
import { useCurrentInstance } from './current-instance.ts';
import { InstanceChoice } from './instance-choice.tsx';
import { hubPath, runsPath, scenariosPath } from './paths.ts';
import { ThemeToggle } from './theme-toggle.tsx';

/** Both keys work everywhere; this is the one that people of the platform know. */
const goKey = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K';

/** Where one is, and the ways to everywhere else. */
export function TopBar({ onHelp, onGo }: { onHelp: () => void; onGo: () => void }) {
  const instance = useCurrentInstance();
  const hub = useCurrentHub();
  const [path] = useLocation();
  const at = (part: string): 'page' | undefined => (path.includes(part) ? 'page' : undefined);
  return (
    <header className="top-bar">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <Link href="/" className="brand">
        vp
      </Link>
      <HubPicker />
      <InstanceChoice />
      <nav aria-label="Main">
        <Link href={instance === undefined ? '/' : runsPath(instance)} aria-current={at('/runs')}>
          Runs
        </Link>
        {instance === undefined ? null : (
          <Link href={scenariosPath(instance)} aria-current={at('/scenarios')}>
            Scenarios
          </Link>
        )}
        <Link href={hub ? hubPath(hub.slug) : '/hubs'} aria-current={path.startsWith('/hubs') ? 'page' : undefined}>
          {hub ? 'Manage' : 'Hubs'}
        </Link>
        <Link href="/settings/environments" aria-current={at('/settings')}>
          Settings
        </Link>
      </nav>
      <span className="grow" />
      <button type="button" className="quiet icon for-keys" onClick={onGo} title={`Go to (${goKey})`}>
        <span aria-hidden="true">{goKey}</span>
        <span className="unseen">Go to</span>
      </button>
      <button type="button" className="quiet icon for-keys" onClick={onHelp} title="Keys (?)">
        <span aria-hidden="true">?</span>
        <span className="unseen">Keys</span>
      </button>
      <ThemeToggle />
      <AccountMenu />
    </header>
  );
}
