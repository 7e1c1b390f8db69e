"use strict";
// Marks in source and graph what belongs to the communication in the address,
// and shows the values of the analysis beside the nodes. Without this script the
// page still shows the communication that is selected.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const graph = document.getElementById("graph"), canvas = document.getElementById("canvas");
  const showing = document.getElementById("showing"), main = document.querySelector("main");
  const all = (root, query) => Array.from(root.querySelectorAll(query));
  let comm = null, item = 0, sweep = 0, generation = 0;

  // states expands the spans of a sweep: pairs of last node and state.
  function states(spans) {
    const out = [];
    for (let i = 0; i < spans.length; i += 2) while (out.length <= spans[i]) out.push(data.states[spans[i + 1]]);
    return out;
  }

  function clear() {
    for (const e of all(document, ".on, .strong, .selected, .killer, .passed, .missed, .near")) {
      if (!e.classList.contains("role")) e.classList.remove("on", "strong", "selected", "killer", "passed", "missed", "near");
    }
    for (const e of all(document, "#source .roles")) e.textContent = "";
    for (const e of all(graph, ".value")) { e.textContent = ""; e.classList.remove("known", "open"); }
    graph.classList.remove("dim");
    main.classList.remove("bad-path");
    showing.textContent = "";
    document.getElementById("generations").hidden = true;
  }

  function values() {
    const it = comm.items[item];
    document.getElementById("generations").hidden = it.slots < 2;
    if (!it.sweeps.length) return; // the plan knows nothing
    sweep = Math.max(0, Math.min(sweep, it.sweeps.length - 1));
    const out = states(it.sweeps[sweep][1]);
    for (const e of all(graph, ".value")) {
      const s = out[+e.dataset.v].split(" | ")[generation];
      e.textContent = s.length > 11 ? s.slice(0, 10) + "…" : s;
      e.classList.toggle("known", s === "NoSync");
      e.classList.toggle("open", s === "Cons" || s === "CS" || s === "Sync" || s.startsWith("NoSyncP"));
    }
    const which = (it.use === it.put ? "" : `, use ${it.use} put ${it.put}`) +
      (it.slots < 2 ? "" : generation === 0 ? ", the last value," : generation === 1 ? ", the value before the last," : `, the value ${generation} before the last,`);
    showing.textContent = `SC_OUT of communication ${comm.id}${which} after sweep ${sweep + 1} of ${it.sweeps.length}`;
    for (const t of all(document, `#c${comm.id} .obligation[data-i="${item}"] .values`)) {
      for (const row of t.rows) {
        Array.from(row.cells).forEach((c, k) => c.classList.toggle("shown", k === sweep + 2));
      }
      for (const b of all(t, ".sweep")) b.setAttribute("aria-pressed", String(+b.dataset.s === sweep));
    }
  }

  function mark(scroll) {
    clear();
    if (!comm) return;
    const it = comm.items[item];
    graph.classList.add("dim");
    main.classList.toggle("bad-path", !it.good);
    const near = n => {
      const e = graph.querySelector(`[data-n="${n}"], [data-v="${n}"]`);
      if (e) e.closest(".box").classList.add("near");
    };
    for (const path of it.paths) {
      path.forEach((n, i) => {
        near(n);
        for (const e of all(graph, `.row[data-n="${n}"]`)) e.classList.add("on");
        const line = document.getElementById("L" + data.nodes[n].line);
        if (line) line.classList.add("on");
        if (i > 0) for (const e of all(graph, `[data-e="${path[i - 1]}-${n}"]`)) e.classList.add("on");
      });
    }
    const role = (line, name, kind) => {
      const row = document.getElementById("L" + line);
      if (!row) return;
      row.classList.add("strong");
      const cell = row.querySelector(".roles");
      if (all(cell, ".role").some(r => r.textContent === name)) return;
      const r = document.createElement("span");
      r.className = "role " + kind;
      r.textContent = name;
      cell.append(r);
    };
    for (const e of all(document, `[data-c="${comm.id}"]`)) {
      if (e.tagName === "ARTICLE") continue;
      e.classList.add("selected");
      if (e.dataset.n) {
        near(+e.dataset.n);
        role(data.nodes[+e.dataset.n].line, data.nodes[+e.dataset.n].name, "use");
      }
    }
    for (const r of it.roles) {
      if (r.kind === "killer" || r.kind === "missed" || r.kind === "passed") {
        for (const e of all(graph, `.pill[data-n="${r.node}"]`)) e.classList.add(r.kind);
        near(r.node);
      }
      role(r.line, r.name, r.kind);
    }
    values();
    if (scroll) {
      const into = (e, box) => {
        if (!e) return;
        const a = e.getBoundingClientRect(), b = box.getBoundingClientRect();
        if (a.top < b.top || a.bottom > b.bottom) box.scrollTop += a.top - b.top - box.clientHeight / 3;
        if (a.left < b.left || a.right > b.right) box.scrollLeft += a.left - b.left - box.clientWidth / 3;
      };
      into(graph.querySelector(`.pill[data-c="${comm.id}"]`), canvas);
      into(document.querySelector(`#source .gutter [data-c="${comm.id}"]`), document.getElementById("source"));
    }
  }

  function follow() {
    const m = /^#c(\d+)$/.exec(location.hash);
    if (location.hash && !m) return; // a line
    comm = m ? data.comms.find(c => c.id === +m[1]) || null : null;
    item = comm ? Math.max(0, comm.items.findIndex(i => !i.good)) : 0;
    sweep = Infinity;
    generation = comm ? comm.items[item].slots - 1 : 0;
    mark(true);
    document.getElementById("detail").scrollTop = 0;
  }

  function allNodes(button) {
    const it = comm.items[+button.closest(".obligation").dataset.i];
    const body = button.closest(".obligation").querySelector(".values tbody");
    body.textContent = "";
    const sweeps = it.sweeps.map(s => [states(s[0]), states(s[1])]);
    data.nodes.forEach((n, id) => {
      const row = body.insertRow();
      row.dataset.n = id;
      const th = document.createElement("th");
      th.scope = "row";
      th.textContent = n.name;
      row.append(th);
      row.insertCell().textContent = n.line || "";
      for (const s of sweeps) {
        const a = s[0][id], b = s[1][id];
        const x = a.split(" | "), y = b.split(" | ");
        const cell = row.insertCell();
        cell.className = "state";
        cell.textContent = x.map((v, i) => v === y[i] ? v : v + " → " + y[i]).join("\n");
      }
    });
    button.remove();
    values();
  }

  document.addEventListener("click", e => {
    const b = e.target.closest("button, a.line");
    if (!b) return;
    if (b.matches("a.line")) {
      // The communication stays selected.
      e.preventDefault();
      document.getElementById("L" + b.dataset.line).scrollIntoView({ block: "center" });
    } else if (b.matches(".sweep")) {
      item = +b.closest(".obligation").dataset.i;
      sweep = +b.dataset.s;
      generation = Math.min(generation, comm.items[item].slots - 1);
      mark(false);
    } else if (b.id === "younger" || b.id === "older") {
      generation = Math.max(0, Math.min(comm.items[item].slots - 1, generation + (b.id === "older" ? 1 : -1)));
      values();
    } else if (b.matches(".show")) {
      item = +b.dataset.i;
      generation = comm.items[item].slots - 1;
      mark(false);
    } else if (b.matches(".all")) {
      allNodes(b);
    } else if (b.id === "larger" || b.id === "smaller") {
      zoom(scale * (b.id === "larger" ? 1.25 : 0.8));
    } else if (b.id === "whole") {
      fit();
    } else if (b.id === "full") {
      zoom(1);
    }
  });

  const width = +graph.getAttribute("width"), height = +graph.getAttribute("height");
  let scale = 1;
  function zoom(s) {
    const at = (canvas.scrollTop + canvas.clientHeight / 2) / scale;
    scale = Math.max(0.1, Math.min(4, s));
    graph.setAttribute("width", width * scale);
    graph.setAttribute("height", height * scale);
    canvas.scrollTop = at * scale - canvas.clientHeight / 2;
  }
  function fit() { zoom(Math.min(1, canvas.clientWidth / width)); }

  document.addEventListener("keydown", e => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const at = comm ? data.comms.indexOf(comm) : -1;
    if (e.key === "j" && data.comms.length) location.hash = "#c" + data.comms[Math.min(at + 1, data.comms.length - 1)].id;
    else if (e.key === "k" && at > 0) location.hash = "#c" + data.comms[at - 1].id;
    else if (e.key === "Escape") location.hash = "#";
    else if (comm && e.key === "[") { sweep--; values(); }
    else if (comm && e.key === "]") { sweep++; values(); }
  });
  for (const b of all(document, ".sweep span")) b.textContent = +b.textContent + 1;
  for (const h of all(document, "h4")) h.textContent = h.textContent.replace(/^way (\d+)$/, (m, n) => "way " + (+n + 1));
  window.addEventListener("hashchange", follow);
  zoom(Math.max(0.75, Math.min(1, canvas.clientWidth / width)));
  const first = graph.querySelector(".box").getBoundingClientRect();
  canvas.scrollLeft += (first.left + first.right) / 2 - canvas.getBoundingClientRect().left - canvas.clientWidth / 2;
  follow();
})();
