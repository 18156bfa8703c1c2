import { readFileSync } from 'node:fs';
import { parser } from '@prometheus-io/lezer-promql';
import { collectLockMetrics } from 'nestjs-zk-lock/prometheus';
import { Registry } from 'prom-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { briefSession, lossOf } from '../support/locks.js';
import { openProxy } from '../support/open-proxy.js';
import { waitFor } from '../support/wait-for.js';
import { openPlace } from '../support/place.js';

interface Dashboard {
  readonly panels: { id: number; title: string; targets: { expr: string }[] }[];
  readonly templating: { list: { name: string; query: string | { query: string } }[] };
}

interface Rules {
  readonly groups: { rules: { alert: string; expr: string; annotations: object }[] }[];
}

const read = (name: string): string =>
  readFileSync(new URL(`../../docs/observability/${name}`, import.meta.url), 'utf8');

const dashboard = JSON.parse(read('grafana-dashboard.json')) as Dashboard;
const rules = (parse(read('prometheus-alerts.yml')) as Rules).groups.flatMap(
  (group) => group.rules,
);

/** Replaces the variables that Grafana replaces before it queries Prometheus. */
const fillIn = (expr: string): string => expr.replaceAll('$__rate_interval', '5m');

const EXPRESSIONS: [string, string][] = [
  ...dashboard.panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }): [string, string] => [`panel "${title}"`, fillIn(expr)]),
  ),
  ...rules.map(({ alert, expr }): [string, string] => [`alert ${alert}`, expr]),
];

/** The metrics in an expression, and the labels by which it selects or groups. */
function usedBy(expr: string): { metrics: string[]; labels: string[]; errors: number } {
  const used = { metrics: [] as string[], labels: [] as string[], errors: 0 };
  parser.parse(expr).iterate({
    enter: ({ type, from, to }) => {
      if (type.isError) used.errors++;
      const text = expr.slice(from, to);
      if (type.name === 'Identifier' && text.startsWith('zk_')) used.metrics.push(text);
      if (type.name === 'LabelName') used.labels.push(text);
    },
  });
  return used;
}

/** The scraped series with the names of their labels, after every counted event has occurred. */
async function exposed(): Promise<Map<string, Set<string>>> {
  const registry = new Registry();
  onTestFinished(collectLockMetrics({ registry }));
  const { open, remove } = await openPlace();
  const proxy = await openProxy();
  // The session must survive the first reconnect, even on a busy machine.
  const locks = await open({ servers: proxy.connectString, ...briefSession });
  const lock = await locks.acquire('k');
  await remove();
  await lossOf(lock);
  await lock.release();
  await locks.runAtMostEvery('job', 60_000, () => undefined);
  const has = async (text: string): Promise<boolean> => (await registry.metrics()).includes(text);
  await proxy.cut();
  // There may have been another one, on a busy machine.
  const reconnects = /reconnects_total\{connection="default"\} [1-9]/;
  await waitFor(async () => reconnects.test(await registry.metrics()), { what: 'the reconnect' });
  await proxy.refuse();
  await proxy.cut();
  await waitFor(() => has('reason="lease-expired"} 1'), { what: 'the loss of the session' });
  const series = new Map<string, Set<string>>();
  for (const line of (await registry.metrics()).split('\n')) {
    const [, name, labels] = /^(\w+)\{(.*)\} /.exec(line) ?? [];
    if (name === undefined) continue;
    const names = Array.from(labels!.matchAll(/(\w+)="/g), ([, label]) => label!);
    series.set(name, new Set(names));
  }
  return series;
}

describe('the dashboard and the alert rules', () => {
  it.each(EXPRESSIONS)('are written in PromQL: %s', (_where, expr) => {
    const { metrics, errors } = usedBy(expr);
    expect(errors).toBe(0);
    expect(metrics).not.toEqual([]);
  });

  it('use only exposed metrics and labels, including in variables, and cover every metric', async () => {
    const series = await exposed();
    const used = new Set<string>();
    for (const [where, expr] of EXPRESSIONS) {
      const { metrics, labels } = usedBy(expr);
      // Prometheus adds this label.
      const own = labels.filter((label) => label !== 'instance');
      for (const metric of metrics) {
        used.add(metric);
        expect(series.has(metric), `${where} uses ${metric}`).toBe(true);
        const missing = own.filter((label) => !series.get(metric)?.has(label));
        expect(missing, `${where} of ${metric}`).toEqual([]);
      }
    }
    expect([...series.keys()].filter((name) => !used.has(name))).toEqual([]);

    const queries = dashboard.templating.list.flatMap(({ query }) =>
      typeof query === 'string' ? [] : [query.query],
    );
    expect(queries).toHaveLength(2);
    for (const query of queries) {
      const [, metric, label] = /^label_values\((\w+), (\w+)\)$/.exec(query) ?? [];
      expect(series.get(metric!)?.has(label!), query).toBe(true);
    }
  });

  it('say what an operator should do, and have their own panels', () => {
    for (const { annotations } of rules) {
      expect(Object.keys(annotations).toSorted()).toEqual(['description', 'summary']);
    }
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
