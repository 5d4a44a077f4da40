import { Link, useLocation, useRoute } from 'wouter';
import { Select } from '../components/select.tsx';
import { useCurrentHub, useHubs } from '../hub/current-hub.ts';
import { hubPath, runsPath, statusPagesPath } from '../paths.ts';
import { AccountMenu } from './account-menu.tsx';
import { useCurrentInstance, useInstances } from './current-instance.ts';
import { findInstancePage, getLinkState, instancePages } from './instance-pages.ts';
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
  const isStatusPages = instance !== undefined && path === statusPagesPath(instance);
  return (
    <nav aria-labelledby="rail-verify" className="rail-group">
      <h2 id="rail-verify">Verify</h2>
      <EnvironmentPicker />
      <RailLink href="/" text="Overview" current={path === '/' ? 'page' : undefined} />
      {instance === undefined ? null : <InstanceLinks instance={instance} path={path} />}
      <RailLink
        href={environmentsPath}
        text="Environments"
        current={path === environmentsPath ? 'page' : isStatusPages ? 'true' : undefined}
      />
    </nav>
  );
}

function InstanceLinks({ instance, path }: { instance: string; path: string }) {
  return instancePages.map((page) =>
    page.linkText === undefined ? null : (
      <RailLink
        key={page.key}
        href={page.toPath(instance)}
        text={page.linkText}
        current={getLinkState(page, path, instance)}
      />
    ),
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
  const { toPath } = findInstancePage(path, currentId) ?? { toPath: runsPath };
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
