import type { FlagDefinitions } from '../../../command-line/command.ts';

export const ciFlags = {
  ci: {
    type: 'string',
    choices: ['github', 'gitlab'],
    placeholder: '<system>',
    describe: 'display the results in GitHub (annotations, page of the job) or GitLab (code quality report)',
  },
  comment: {
    type: 'boolean',
    default: false,
    describe: 'with --ci: one comment on the pull or merge request, which later runs update',
  },
} as const satisfies FlagDefinitions;
