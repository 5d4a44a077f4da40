import { Link, useSearchParams } from 'wouter';
import type { Hub } from '../../../contract/hubs/hubs-api.ts';
import { CommandLine } from '../../components/command-line.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { hubPath } from '../../paths.ts';
import { ClientInstructions } from './client-instructions.tsx';

const methods = [
  { name: 'browser', label: 'Sign in with a browser' },
  { name: 'token', label: 'With a token' },
] as const;

const placeholder = '<API_TOKEN>';

/** The selected sign-in method is stored in the address bar. */
export function ConnectClientPage({ hub: { slug } }: { hub: Hub }) {
  const [search, setSearch] = useSearchParams();
  const method = search.get('way') === 'token' ? 'token' : 'browser';
  const choose = (next: string): void => setSearch(next === 'token' ? { way: next } : {}, { replace: true });
  return (
    <Tabs label="Sign-in method" tabs={methods} selected={method} onSelect={choose}>
      {method === 'browser' ? <BrowserMethod slug={slug} /> : <TokenMethod slug={slug} />}
    </Tabs>
  );
}

function BrowserMethod({ slug }: { slug: string }) {
  const url = `${location.origin}/hub/${slug}/mcp`;
  return (
    <section className="add" aria-label="Sign in with a browser">
      <p>
        For clients that people use. Paste the address of the hub. The client discovers the rest and opens a page that
        asks for your consent. To review or revoke access, see <Link href="/settings/account">your account</Link>.
      </p>
      <CommandLine text={url} />
      <ClientInstructions endpoint={{ name: slug, url }} />
    </section>
  );
}

function TokenMethod({ slug }: { slug: string }) {
  const url = `${location.origin}/agent/mcp`;
  return (
    <section className="add" aria-label="With a token">
      <p>
        For CI, containers and other clients without a browser. The token identifies the hub, so the address is the same
        for all hubs. <Link href={hubPath(slug)}>Create a token</Link> and replace {placeholder} with it.
      </p>
      <CommandLine text={url} />
      <ClientInstructions endpoint={{ name: slug, url, token: placeholder }} />
      <p className="faint">
        The address <code>{`${location.origin}/mcp`}</code> belongs to no hub: it offers a few tools that explain how to
        connect, and none of yours. The address of a hub also accepts its tokens. A token of another hub is refused
        there with ERR_SCOPE_UNAVAILABLE.
      </p>
    </section>
  );
}
