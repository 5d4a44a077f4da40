import { Link, useLocation } from 'wouter';
import { Select } from '../components/select.tsx';
import { useCurrentHub } from '../hub/current-hub.ts';
import { HubPicker } from '../hub/hub-picker.tsx';
import { hubPath, runsPath, scenariosPath } from '../paths.ts';
import { AccountMenu } from './account-menu.tsx';
import { useCurrentInstance, useInstances } from './current-instance.ts';
import { ThemeToggle } from './theme-toggle.tsx';

/** Both keys work on every platform; this is the usual one for the user's. */
const paletteKey = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K';

export function TopBar({ onOpenHelp, onOpenPalette }: { onOpenHelp: () => void; onOpenPalette: () => void }) {
  const instance = useCurrentInstance();
  const hub = useCurrentHub();
  const [path] = useLocation();
  const currentWhenPathHas = (segment: string): 'page' | undefined => (path.includes(segment) ? 'page' : undefined);
  return (
    <header className="top-bar">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <Link href="/" className="brand">
        vp
      </Link>
      <HubPicker />
      <InstancePicker />
      <nav aria-label="Main">
        <Link href={instance === undefined ? '/' : runsPath(instance)} aria-current={currentWhenPathHas('/runs')}>
          Runs
        </Link>
        {instance === undefined ? null : (
          <Link href={scenariosPath(instance)} aria-current={currentWhenPathHas('/scenarios')}>
            Scenarios
          </Link>
        )}
        <Link href={hub ? hubPath(hub.slug) : '/hubs'} aria-current={path.startsWith('/hubs') ? 'page' : undefined}>
          {hub ? 'Manage' : 'Hubs'}
        </Link>
        <Link href="/settings/environments" aria-current={currentWhenPathHas('/settings')}>
          Settings
        </Link>
      </nav>
      <span className="grow" />
      <button type="button" className="quiet icon for-keys" onClick={onOpenPalette} title={`Go to (${paletteKey})`}>
        <span aria-hidden="true">{paletteKey}</span>
        <span className="unseen">Go to</span>
      </button>
      <button type="button" className="quiet icon for-keys" onClick={onOpenHelp} title="Keyboard shortcuts (?)">
        <span aria-hidden="true">?</span>
        <span className="unseen">Keyboard shortcuts</span>
      </button>
      <ThemeToggle />
      <AccountMenu />
    </header>
  );
}

function InstancePicker() {
  const { data = [] } = useInstances();
  const currentId = useCurrentInstance();
  const [, navigate] = useLocation();
  if (currentId === undefined) return null;
  const ids = [...new Set([...data.map(({ instance_id }) => instance_id), currentId])];
  return (
    <Select
      label="Instance"
      value={currentId}
      options={ids.map((id) => [id, id])}
      onSelect={(id) => navigate(runsPath(id))}
    />
  );
}
