import { Link, useSearchParams } from 'wouter';
import type { Hub } from '../../contract/hub-api.ts';
import { Command } from '../parts/command.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { hubPath } from '../shell/paths.ts';
import { ClientSetUp } from './client-set-up.tsx';

const ways = [
  { name: 'browser', label: 'Sign in by browser' },
  { name: 'token', label: 'With a token' },
] as const;

const placeholder = '<API_TOKEN>';

/** How clients reach the hub: by a sign-in in a browser, or by a token; the way stands in the address. */
export function SetUp({ hub: { slug } }: { hub: Hub }) {
  const [search, setSearch] = useSearchParams();
  const way = search.get('way') === 'token' ? 'token' : 'browser';
  const choose = (next: string): void => setSearch(next === 'token' ? { way: next } : {}, { replace: true });
  return (
    <Tabs label="Way in" tabs={ways} chosen={way} onChoose={choose}>
      {way === 'browser' ? <ByBrowser slug={slug} /> : <ByToken slug={slug} />}
    </Tabs>
  );
}

function ByBrowser({ slug }: { slug: string }) {
  const url = `${location.origin}/hub/${slug}/mcp`;
  return (
    <section className="add" aria-label="Sign in by browser">
      <p>
        For clients of people. Paste the hub’s own address; the client finds the rest by itself and opens a page that
        asks for your leave. What you allowed you see and end in <Link href="/settings/account">your account</Link>.
      </p>
      <Command text={url} />
      <ClientSetUp address={{ name: slug, url }} />
    </section>
  );
}

function ByToken({ slug }: { slug: string }) {
  const url = `${location.origin}/agent/mcp`;
  return (
    <section className="add" aria-label="With a token">
      <p>
        For CI, containers and whatever has no browser. The token says which hub it is, so the address is the same for
        all hubs. <Link href={hubPath(slug)}>Create a token</Link> and put it where it says {placeholder}.
      </p>
      <Command text={url} />
      <ClientSetUp address={{ name: slug, url, token: placeholder }} />
      <p className="faint">
        At <code>{`${location.origin}/mcp`}</code> no hub is meant: clients find a few tools there that say how to
        connect, and none of yours. The hub’s own address takes its tokens too; one of another hub is refused there with
        ERR_SCOPE_UNAVAILABLE.
      </p>
    </section>
  );
}
