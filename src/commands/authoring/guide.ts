import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { renderScenarioGuide } from '../../scenario/guide.ts';

/** `vp guide`: the scenario language, generated from the parser's tables. */
export const guideCommand = command({
  name: 'guide',
  summary: 'explain how to write a scenario, with an example',
  positionals: [],
  flags: {},
  examples: [['vp guide', 'all sections, checks and placeholders']],
  async run({ json, environment }) {
    const guide = renderScenarioGuide();
    environment.streams.stdout.write(
      json ? `${JSON.stringify({ guide })}\n` : guide.endsWith('\n') ? guide : `${guide}\n`,
    );
    return exitCode.done;
  },
});
