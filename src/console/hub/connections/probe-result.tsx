import type { HubConnectionProbeResult } from '../../../contract/hubs/connection-use-api.ts';
import { formatDuration } from '../../../report/measures.ts';
import { ErrorDetails } from '../../components/error-notice.tsx';
import { formatCount } from '../../text/format.ts';
import { describeEffect } from '../tools/tool-definition.ts';

export function ProbeResultNotice({ result }: { result: HubConnectionProbeResult }) {
  const { problem, tools, tools_count: toolsCount, warning, instructions } = result;
  if (problem && tools.length === 0) return <ErrorDetails description={problem} />;
  return (
    <section className="probe" aria-label="Server details">
      {problem ? <ErrorDetails description={problem} /> : <ProbeSummary result={result} />}
      {warning === null ? null : (
        <p className="help">
          <span>{warning}</span>
        </p>
      )}
      {instructions === null ? null : (
        <details>
          <summary>Server instructions</summary>
          <p className="preserve-lines">{instructions}</p>
        </details>
      )}
      {tools.length === 0 ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
        <section className="probe-tools" tabIndex={0} aria-label="Tools">
          <ul className="plain-list">
            {tools.map((tool) => (
              <li key={tool.name}>
                <span>
                  <code>{tool.name}</code> <span className="faint">{tool.description ?? tool.title}</span>
                </span>
                <span className="faint">{describeEffect(tool.annotations)}</span>
              </li>
            ))}
            {toolsCount > tools.length ? (
              <li className="faint">and {formatCount(toolsCount - tools.length, 'more tool')}</li>
            ) : null}
          </ul>
        </section>
      )}
    </section>
  );
}

function ProbeSummary({ result }: { result: HubConnectionProbeResult }) {
  const { server, protocol_version: version, tools_count: tools, resources_count, prompts_count } = result;
  const offers = [formatCount(tools, 'tool')];
  if (resources_count > 0) offers.push(formatCount(resources_count, 'resource'));
  if (prompts_count > 0) offers.push(formatCount(prompts_count, 'prompt'));
  return (
    <p role="status">
      <b>{server ? `${server.name} ${server.version}` : 'The server responded'}</b>: {offers.join(', ')}{' '}
      <span className="faint">
        {version === null ? '' : `MCP ${version}, `}in {formatDuration(result.duration_ms)}
      </span>
    </p>
  );
}
