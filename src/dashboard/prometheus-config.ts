/** The configuration of the machine's Prometheus. */
import { stringify } from 'yaml';
import { routerProjectName } from '../contract/platform-names.ts';

/** File names in the configuration folder of Prometheus. */
export const prometheusFiles = {
  config: 'prometheus.yml',
  alerts: 'alerts.yml',
  /** Credential for the metrics of executors and of the router. */
  scrapeKey: 'scrape.key',
  /** Credential for the metrics of the control plane. */
  controlPlaneKey: 'control-plane.key',
} as const;

/** `folder` contains the files above. `dashboard` is `host:port` of the dashboard, which relays the control plane's metrics. */
export type PrometheusConfigOptions = {
  readonly folder: string;
  readonly dashboard: string;
  readonly hasControlPlane: boolean;
};

const scrapeSeconds = 5;

/** Returns the text of `prometheus.yml`. Instances are discovered by DNS. */
export function formatPrometheusConfig({ folder, dashboard, hasControlPlane }: PrometheusConfigOptions): string {
  const config = {
    global: { scrape_interval: `${scrapeSeconds}s`, scrape_timeout: '4s', evaluation_interval: '10s' },
    rule_files: [`${folder}/${prometheusFiles.alerts}`],
    scrape_configs: [
      createDnsJob('vp-executors', 8765, 'vp-executors', folder),
      createDnsJob('vp-router', 9765, routerProjectName, folder),
      ...(hasControlPlane ? [createControlPlaneJob(dashboard, folder)] : []),
    ],
  };
  return stringify(config, { lineWidth: 0 });
}

/** Limits for the metrics of any target. */
const scrapeLimits = { sample_limit: 20_000, label_limit: 12, label_value_length_limit: 300, body_size_limit: '8MB' };

function authorizeWithKey(folder: string, name: string): object {
  return { credentials_file: `${folder}/${name}` };
}

function createDnsJob(job: string, port: number, name: string, folder: string): object {
  return {
    job_name: job,
    ...scrapeLimits,
    authorization: authorizeWithKey(folder, prometheusFiles.scrapeKey),
    // Keeps the series of an instance when its container is recreated at another address.
    metric_relabel_configs: [{ source_labels: ['instance_id'], regex: '(.+)', target_label: 'instance' }],
    dns_sd_configs: [{ names: [name], type: 'A', port, refresh_interval: '5s' }],
  };
}

function createControlPlaneJob(dashboard: string, folder: string): object {
  return {
    job_name: 'vp-control-plane',
    ...scrapeLimits,
    metrics_path: '/relay/metrics',
    authorization: authorizeWithKey(folder, prometheusFiles.controlPlaneKey),
    static_configs: [{ targets: [dashboard] }],
  };
}
