// The figures of the page, and the questions that it asks of them.

const WORKLOAD = 0, STATION = 1, COMMAND = 2, CLIENTS = 3, MEASURE = 4, MEDIAN = 5, LOW = 6, HIGH = 7, COUNT = 8;

export class Figures {
  constructor(document) {
    Object.assign(this, document);
    this.rows = new Map(document.summary.map((row) => [key(...row.slice(0, 5)),
      { median: row[MEDIAN], low: row[LOW], high: row[HIGH], count: row[COUNT] }]));
  }

  /** Median, low, high and count of rounds; undefined where nothing was measured. */
  at(workload, station, measure, command = '', clients = 0) {
    return this.rows.get(key(workload, station, command, clients, measure));
  }

  /** The stations that a workload has figures of, in the order in which they are listed. */
  stationsOf(workload) {
    const names = new Set(this.summary.filter((row) => row[WORKLOAD] === workload).map((row) => row[STATION]));
    return this.stations.map((station) => station.name).filter((name) => names.has(name));
  }

  /** The numbers of clients that a workload was measured with. */
  clientsOf(workload) {
    const all = this.summary.filter((row) => row[WORKLOAD] === workload && row[CLIENTS] > 0);
    return [...new Set(all.map((row) => row[CLIENTS]))].sort((one, other) => one - other);
  }

  /** The measure of a whole run, or of its only command from its only number of clients. */
  whole(workload, station, measure) {
    const row = this.summary.find((one) => one[WORKLOAD] === workload && one[STATION] === station
      && one[MEASURE] === measure);
    return row && this.at(workload, station, measure, row[COMMAND], row[CLIENTS]);
  }

  /** The latency curve of a station: pairs of percent and microseconds. */
  curve(workload, station) {
    return this.curves.find((curve) => curve.workload === workload && curve.station === station)?.latencyUs;
  }

  /** The finding of a name. */
  finding(id) {
    return this.findings.find((found) => found.finding.id === id);
  }
}

function key(...parts) {
  return parts.join('|');
}
