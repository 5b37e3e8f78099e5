{{/* Labels of the objects of one process: (dict "root" $ "process" "web"). */}}
{{- define "labels" -}}
app.kubernetes.io/name: visual-review
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .process }}
{{- end }}

{{/* What all pods have in common: no rights, and no variables named after services. */}}
{{- define "pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
{{- end }}

{{/* The image, its rights and its settings, in the containers of all processes. */}}
{{- define "container" -}}
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
envFrom:
  - secretRef: {name: {{ .Values.secret }}}
env:
  - {name: VISUAL_REVIEW_PUBLIC_URL, value: {{ .Values.publicUrl | quote }}}
  - {name: VISUAL_REVIEW_WORK_FOLDER, value: /var/lib/visual-review}
  # The probes of the worker come from outside of its pod.
  - {name: VISUAL_REVIEW_METRICS_HOST, value: 0.0.0.0}
  - {name: VISUAL_REVIEW_WORKER_METRICS_PORT, value: "9465"}
  {{- range $name, $value := .Values.env }}
  - {name: {{ $name }}, value: {{ $value | quote }}}
  {{- end }}
{{- end }}

{{/* Uploads are put together in the work folder. */}}
{{- define "volumeMounts" -}}
- {name: work, mountPath: /var/lib/visual-review}
- {name: tmp, mountPath: /tmp}
{{- end }}

{{- define "volumes" -}}
- {name: work, emptyDir: {}}
- {name: tmp, emptyDir: {}}
{{- end }}
