import { Type } from '@sinclair/typebox';
import { formatConfigProblem, toProblemJson } from '../../project/config-problem.ts';
import { formatQuantity, joinLines, takeWithinLength } from '../tools/result-text.ts';
import { createTool, readOnlyAnnotations } from '../tools/tool.ts';

const maxProblemsLength = 9000;

/** Checks a config as `vp validate-config` does. */
export const validateConfigTool = createTool({
  name: 'product__validate_config',
  description:
    'Check platform-config.yaml: the given text, or the executor’s own file. Every problem with line and fix, and the names that .env must define; values are never shown.',
  input: Type.Object({ text: Type.Optional(Type.String({ maxLength: 200_000 })) }),
  annotations: readOnlyAnnotations,
  async handle({ text: configText }, { checkConfig }) {
    const { valid, problems, names } = await checkConfig(configText);
    const reportedProblems = takeWithinLength(problems.slice(0, 40).map(toProblemJson), maxProblemsLength);
    const missing = names.filter(({ present }) => !present).map(({ name }) => name);
    const listedNames = names.slice(0, 200);
    const text = joinLines(
      `${valid ? 'Valid' : 'Not valid'}: ${formatQuantity(problems.length, 'problem')}`,
      ...problems.slice(0, reportedProblems.length).map(formatConfigProblem),
      reportedProblems.length < problems.length &&
        `${problems.length - reportedProblems.length} more; fix these first.`,
      names.length > 0 && `.env must define: ${listedNames.map(({ name }) => name).join(', ')}`,
      missing.length > 0 && `Missing in .env: ${missing.slice(0, 200).join(', ')}`,
      configText === undefined && valid && 'Restart the executor to apply changes of the file.',
    );
    return {
      text,
      data: {
        valid,
        problems: reportedProblems,
        left_out: problems.length - reportedProblems.length,
        env_names: listedNames,
      },
    };
  },
});
