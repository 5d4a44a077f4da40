/** How the machine's Prometheus finds what it scrapes. */
import { stringify } from 'yaml';

/** Names in the folder that Prometheus reads its configuration from. */
export const prometheusFiles = {
  config: 'prometheus.yml',
  alerts: 'alerts.yml',
  /** Opens the metrics of executors and of the router. */
  scrapeKey: 'scrape.key',
  /** Opens those of the control plane. */
  controlPlaneKey: 'control-plane.key',
} as const;

/** `folder` is the one of the files above. `dashboard` is `host:port` of the dashboard, which leads on to the control plane. */
export type PrometheusPlace = {
  readonly folder: string;
  readonly dashboard: string;
  readonly hasControlPlane: boolean;
};

/** Seconds between two scrapes. */
const scrapeSeconds = 5;

/** The text of `prometheus.yml`. Instances are found by name as they come and go. */
export function prometheusConfigText({ folder, dashboard, hasControlPlane }: PrometheusPlace): string {
  const config = {
    global: { scrape_interval: `${scrapeSeconds}s`, scrape_timeout: '4s', evaluation_interval: '10s' },
    rule_files: [`${folder}/${prometheusFiles.alerts}`],
    scrape_configs: [
      foundByName('vp-executors', 8765, 'vp-executors', folder),
      foundByName('vp-router', 9765, 'platform-router', folder),
      ...(hasControlPlane ? [controlPlane(dashboard, folder)] : []),
    ],
  };
  return stringify(config, { lineWidth: 0 });
}

/** Bounds what a target can say, whatever it is. */
const bounds = { sample_limit: 20_000, label_limit: 12, label_value_length_limit: 300, body_size_limit: '8MB' };

function keyFile(folder: string, name: string): object {
  return { credentials_file: `${folder}/${name}` };
}

function foundByName(job: string, port: number, name: string, folder: string): object {
  return {
    job_name: job,
    ...bounds,
    authorization: keyFile(folder, prometheusFiles.scrapeKey),
    // The same series before and after a container is made anew, at another address.
    metric_relabel_configs: [{ source_labels: ['instance_id'], regex: '(.+)', target_label: 'instance' }],
    dns_sd_configs: [{ names: [name], type: 'A', port, refresh_interval: '5s' }],
  };
}

function controlPlane(dashboard: string, folder: string): object {
  return {
    job_name: 'vp-control-plane',
    ...bounds,
    metrics_path: '/relay/metrics',
    authorization: keyFile(folder, prometheusFiles.controlPlaneKey),
    static_configs: [{ targets: [dashboard] }],
  };
}
