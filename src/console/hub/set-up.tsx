import { Link } from 'wouter';
import type { Hub } from '../../contract/hub-api.ts';
import { Command } from '../parts/command.tsx';
import { hubPath } from '../shell/paths.ts';
import { ClientSetUp } from './client-set-up.tsx';

/** How clients reach the hub. */
export function SetUp({ hub: { slug } }: { hub: Hub }) {
  return (
    <>
      <section aria-labelledby="by-token">
        <h2 id="by-token">With a token</h2>
        <p>
          For clients without a browser. The token says which hub it is, so the address is the same for all hubs.{' '}
          <Link href={hubPath(slug)}>Create a token</Link> and put it where it says {placeholder}.
        </p>
        <Command text={`${location.origin}/agent/mcp`} />
        <ClientSetUp hub={slug} token={placeholder} />
      </section>
      <section aria-labelledby="by-address">
        <h2 id="by-address">By the hub’s own address</h2>
        <p>It takes tokens of this hub alone; one of another hub is refused with ERR_SCOPE_UNAVAILABLE.</p>
        <Command text={`${location.origin}/hub/${slug}/mcp`} />
      </section>
    </>
  );
}

const placeholder = '<API_TOKEN>';
