import type { HubConnectionProbed } from '../../contract/hub-connect-api.ts';
import { ToldProblem } from '../parts/problem.tsx';
import { countText, durationText } from '../words/moments.ts';
import { effectOf } from './tool-effect.ts';

/** What a server offers, as a probe found it. */
export function ProbeView({ probed }: { probed: HubConnectionProbed }) {
  const { problem, tools, tools_count: toolsCount, warning, instructions } = probed;
  if (problem && tools.length === 0) return <ToldProblem told={problem} />;
  return (
    <section className="probe" aria-label="What it offers">
      {problem ? <ToldProblem told={problem} /> : <Summary probed={probed} />}
      {warning === null ? null : (
        <p className="help">
          <span>{warning}</span>
        </p>
      )}
      {instructions === null ? null : (
        <details>
          <summary>What it tells its callers</summary>
          <p className="told-text">{instructions}</p>
        </details>
      )}
      {tools.length === 0 ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        <section className="probe-tools" tabIndex={0} aria-label="Its tools">
          <ul className="plain-list">
            {tools.map((tool) => (
              <li key={tool.name}>
                <span>
                  <code>{tool.name}</code> <span className="faint">{tool.description ?? tool.title}</span>
                </span>
                <span className="faint">{effectOf(tool.annotations)}</span>
              </li>
            ))}
            {toolsCount > tools.length ? (
              <li className="faint">and {countText(toolsCount - tools.length, 'more tool')}</li>
            ) : null}
          </ul>
        </section>
      )}
    </section>
  );
}

function Summary({ probed }: { probed: HubConnectionProbed }) {
  const { server, protocol_version: version, tools_count: tools, resources_count, prompts_count } = probed;
  const offers = [countText(tools, 'tool')];
  if (resources_count > 0) offers.push(countText(resources_count, 'resource'));
  if (prompts_count > 0) offers.push(countText(prompts_count, 'prompt'));
  return (
    <p role="status">
      <b>{server ? `${server.name} ${server.version}` : 'It answers'}</b>: {offers.join(', ')}{' '}
      <span className="faint">
        {version === null ? '' : `by MCP ${version}, `}in {durationText(probed.duration_ms)}
      </span>
    </p>
  );
}
