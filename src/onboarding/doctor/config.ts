import { loadProject } from '../../project/load.ts';
import { skipped } from '../preflight/check.ts';
import type { DoctorCheck } from './context.ts';

/** `platform-config.yaml` and `.env` say what this tier needs. */
export const configCheck: DoctorCheck = {
  id: 'config',
  title: 'config of the project',
  async look({ productDir }) {
    if (productDir === undefined) return skipped('not looked at without --product-dir');
    const { config, problems, configFile } = await loadProject(productDir, { use: 'compose' });
    const told = problems.map(({ code, severity, message, cure, file, spot }) => {
      const place = spot ? `${file}:${spot.line}:${spot.column}` : file;
      return { code, severity, message: `${place}: ${message}`, cure };
    });
    return { facts: config ? [`${configFile} is valid`] : [], problems: told };
  },
};
