import { Link, useLocation, useRoute } from 'wouter';
import { Select } from '../components/select.tsx';
import { useCurrentHub, useHubs } from '../hub/current-hub.ts';
import {
  comparePath,
  coveragePath,
  healthPath,
  hubPath,
  instancePath,
  runsPath,
  scenariosPath,
  schedulesPath,
  statusPagesPath,
  suitesPath,
} from '../paths.ts';
import { AccountMenu } from './account-menu.tsx';
import { useCurrentInstance, useInstances } from './current-instance.ts';
import { ThemeToggle } from './theme-toggle.tsx';

/** Both keys work on every platform; this is the usual one for the user's. */
const paletteKey = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K';

type RailProps = { readonly onOpenHelp: () => void; readonly onOpenPalette: () => void };

/** The navigation of the console, in the order of the places: the hub picker at the top left, Verify, Hub, Settings. */
export function Rail({ onOpenHelp, onOpenPalette }: RailProps) {
  return (
    <>
      <div className="rail-head">
        <Link href="/" className="brand">
          vp
        </Link>
        <button type="button" className="go-to" onClick={onOpenPalette}>
          Go to <span className="key-hint">{paletteKey}</span>
        </button>
      </div>
      <HubPicker />
      <VerifyLinks />
      <HubLinks />
      <div className="rail-foot">
        <SettingsLink />
        <div className="rail-tools">
          <AccountMenu />
          <span className="grow" />
          <button type="button" className="quiet icon for-keys" onClick={onOpenHelp} title="Keyboard shortcuts (?)">
            <span aria-hidden="true">?</span>
            <span className="visually-hidden">Keyboard shortcuts</span>
          </button>
          <ThemeToggle />
        </div>
      </div>
    </>
  );
}

/** `page`: this page. `true`: a page below it. */
type Current = 'page' | 'true' | undefined;

function VerifyLinks() {
  const instance = useCurrentInstance();
  const [path] = useLocation();
  const current = (own: string, isBelow: boolean): Current => (path === own ? 'page' : isBelow ? 'true' : undefined);
  const runs = instance === undefined ? '/' : runsPath(instance);
  const scenarios = instance === undefined ? '/' : scenariosPath(instance);
  return (
    <nav aria-labelledby="rail-verify" className="rail-group">
      <h2 id="rail-verify">Verify</h2>
      <EnvironmentPicker />
      <RailLink href="/" text="Overview" current={current('/', false)} />
      {instance === undefined ? null : (
        <>
          <RailLink
            href={instancePath(instance)}
            text="Needs a look"
            current={current(
              instancePath(instance),
              path.startsWith(`${instancePath(instance)}/failures/`) ||
                [comparePath(instance), healthPath(instance)].includes(path),
            )}
          />
          <RailLink href={runs} text="Runs" current={current(runs, path.startsWith('/runs/'))} />
          <RailLink
            href={suitesPath(instance)}
            text="Suites"
            current={current(suitesPath(instance), path.startsWith(`${suitesPath(instance)}/`))}
          />
          <RailLink
            href={scenarios}
            text="Scenarios"
            current={current(scenarios, path.startsWith(`${scenarios}/`) || path === coveragePath(instance))}
          />
          <RailLink href={schedulesPath(instance)} text="Schedules" current={current(schedulesPath(instance), false)} />
        </>
      )}
      <RailLink
        href={environmentsPath}
        text="Environments"
        current={current(environmentsPath, instance !== undefined && path === statusPagesPath(instance))}
      />
    </nav>
  );
}

const environmentsPath = '/settings/environments';

/** Pages of a hub; the further ones are reached from the listed one, as tabs of the same page. */
const hubPages = [
  ['connections', 'Connections', []],
  ['tools', 'Tools', ['try']],
  ['approvals', 'Approvals', []],
  ['policy', 'Policy', []],
  ['members', 'Members', ['general']],
  ['tokens', 'API Tokens', ['connect']],
  ['audit', 'Audit', ['usage']],
] as const;

function HubLinks() {
  const hub = useCurrentHub();
  const [path] = useLocation();
  return (
    <nav aria-label={hub ? 'Manage' : 'Hub'} className="rail-group">
      <h2>
        Hub
        {hub ? (
          <Link href={hubPath(hub.slug)} className="manage">
            Manage
          </Link>
        ) : null}
      </h2>
      {hub ? (
        hubPages.map(([name, title, below]) => (
          <RailLink
            key={name}
            href={hubPath(hub.slug, name)}
            text={title}
            current={
              path === hubPath(hub.slug, name)
                ? 'page'
                : below.some((other) => path === hubPath(hub.slug, other))
                  ? 'true'
                  : undefined
            }
          />
        ))
      ) : (
        <RailLink href="/hubs" text="Hubs" current={path === '/hubs' ? 'page' : undefined} />
      )}
    </nav>
  );
}

function SettingsLink() {
  const [path] = useLocation();
  const isCurrent = path.startsWith('/settings/') && path !== environmentsPath;
  return <RailLink href="/settings" text="Settings" current={isCurrent ? 'true' : undefined} />;
}

function RailLink({ href, text, current }: { href: string; text: string; current: Current }) {
  return (
    <Link href={href} className="rail-link" aria-current={current}>
      {text}
    </Link>
  );
}

/** Switching the environment keeps the kind of page. */
function EnvironmentPicker() {
  const { data = [] } = useInstances();
  const currentId = useCurrentInstance();
  const [path, navigate] = useLocation();
  if (currentId === undefined) return null;
  const ids = [...new Set([...data.map(({ instance_id }) => instance_id), currentId])];
  const isLanding = /^\/instances\/[^/]+(?:\/failures\/.*|\/compare|\/health)?$/.test(path);
  const toPath = path.endsWith('/schedules')
    ? schedulesPath
    : path.endsWith('/status-pages')
      ? statusPagesPath
      : path.endsWith('/coverage')
        ? coveragePath
        : path.includes('/suites')
          ? suitesPath
          : path.includes('/scenarios')
            ? scenariosPath
            : isLanding
              ? instancePath
              : runsPath;
  return (
    <Select
      label="Environment"
      hideLabel
      value={currentId}
      options={ids.map((id) => [id, id])}
      onSelect={(id) => navigate(toPath(id))}
    />
  );
}

/** Switching the hub keeps the current page. */
function HubPicker() {
  const { data = [] } = useHubs();
  const current = useCurrentHub();
  const [, params] = useRoute('/hubs/:hub/:part');
  const [, navigate] = useLocation();
  if (data.length === 0) return null;
  const options = [
    ...(current ? [] : [['', 'choose…'] as const]),
    ...data.map(({ slug, name }) => [slug, name] as const),
    ['+', 'All hubs, new hub…'] as const,
  ];
  const choose = (slug: string): void => navigate(slug === '+' ? '/hubs' : hubPath(slug, params?.part));
  return <Select hideLabel label="Hub" value={current?.slug ?? ''} options={options} onSelect={choose} />;
}
